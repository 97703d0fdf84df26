/** What the commands of `firn archive` share. */
export const archiveGroup = { name: "archive", summary: "write a network's blocks into files that another Firn imports, and verify them" };
