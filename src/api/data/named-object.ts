/**
 * An object schema with a name for the OpenAPI document, from which clients are generated: the name of the official SDKs' type, if they
 * have one. Reading and writing ignore the name.
 */
import Type, { type TObject, type TProperties } from "typebox";

export function namedObject<P extends TProperties>(name: string, members: P, options: { readonly description?: string } = {}): TObject<P> {
  return Type.Object(members, { $id: name, ...options });
}
