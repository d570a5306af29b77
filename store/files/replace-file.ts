import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { PRIVATE_FILE } from "./data-folder.ts";

/** Replace a private file atomically. */
export async function replaceFile(filePath: string, text: string): Promise<void> {
  const draft = `${filePath}.${randomUUID()}`;
  try {
    await writePrivateFile(draft, text);
    await rename(draft, filePath);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Create or overwrite a private file. Resolves when the disk has it. */
export async function writePrivateFile(filePath: string, text: string): Promise<void> {
  const handle = await open(filePath, "w", PRIVATE_FILE);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
