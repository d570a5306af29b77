import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { PRIVATE_FILE } from "./data-folder.ts";

/** Replace a private file atomically. */
export async function replaceFile(filePath: string, content: string | Uint8Array): Promise<void> {
  const draft = `${filePath}.${randomUUID()}`;
  try {
    await writePrivateFile(draft, content);
    await rename(draft, filePath);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Create or overwrite a private file. Resolves when the disk has it. */
export async function writePrivateFile(filePath: string, content: string | Uint8Array): Promise<void> {
  const handle = await open(filePath, "w", PRIVATE_FILE);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
