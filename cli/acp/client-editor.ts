import { readFile } from "node:fs/promises";
import path from "node:path";
import { RequestError } from "@agentclientprotocol/sdk/unstable";
import type { EditorPort } from "../../ports/editor.ts";
import { systemCode } from "../../store/files/system-code.ts";
import { decodeText, withoutMark } from "../../tools/text-encoding.ts";
import type { ClientTerminals } from "./client-terminals.ts";
import type { SessionClient } from "./session-client.ts";

/** The code of a client's error for a file that does not exist. */
const NOT_FOUND = -32002;

/**
 * The client as the editor of a task: it has the text of files that are not saved, and runs commands. Undefined: the client
 * offers neither.
 *
 * @param root the real path of the workspace
 */
export function clientEditor(
  client: SessionClient,
  root: string,
  terminals: ClientTerminals,
): EditorPort | undefined {
  const { fs, terminal = false } = client.capabilities;
  const { readTextFile = false, writeTextFile = false } = fs ?? {};
  if (!readTextFile && !writeTextFile && !terminal) return undefined;
  return {
    ...(readTextFile && { readBuffer: (file) => unsavedText(client, path.join(root, file)) }),
    ...(writeTextFile && { save: (file, text) => client.writeFile(path.join(root, file), text) }),
    ...(terminal && { runCommand: terminals.run }),
  };
}

/** The client does not say whether a file has unsaved changes: then its text is another one than that on disk. */
async function unsavedText(client: SessionClient, file: string): Promise<string | undefined> {
  const saved = await readSaved(file);
  const onDisk = saved && decodeText(saved);
  // A text of the client can't be a binary file.
  if (saved !== undefined && onDisk === undefined) return undefined;
  try {
    const text = await client.readFile(file);
    return onDisk !== undefined && withoutMark(text) === withoutMark(onDisk) ? undefined : text;
  } catch (error) {
    if (error instanceof RequestError && error.code === NOT_FOUND) return undefined;
    throw error;
  }
}

async function readSaved(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
