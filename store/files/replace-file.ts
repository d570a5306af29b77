import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { PRIVATE_FILE } from "./data-folder.ts";

/** Replace a private file atomically. */
export async function replaceFile(filePath: string, text: string): Promise<void> {
  const draft = `${filePath}.${randomUUID()}`;
  try {
    const handle = await open(draft, "wx", PRIVATE_FILE);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, filePath);
  } finally {
    await rm(draft, { force: true });
  }
}
