/** Shared by the commands of `firn keys`. Running servers notice changes automatically. */
export const keysGroup = { name: "keys", summary: "manage API keys: who may use the server, and how much" };
