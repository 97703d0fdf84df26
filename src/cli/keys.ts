/** What the commands of `firn keys` share. Servers take notice of changes by themselves. */
export const keysGroup = { name: "keys", summary: "API keys of the Data API: who may use it, and how much" };
