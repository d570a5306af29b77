import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { ExchangeError, parseRooFile, type RooFile } from "../../wire/index.ts";
import { PRIVATE_FILE, systemCode } from "../files/index.ts";

/** The list in a file of `dir`, or `undefined` where the file isn't there. */
export async function readList(
  dir: string,
  file: RooFile,
  fileBytesMax: number,
): Promise<readonly unknown[] | undefined> {
  const place = path.join(dir, file);
  try {
    const { size } = await stat(place);
    if (size > fileBytesMax)
      throw new ExchangeError(
        "EXCHANGE_TOO_LARGE",
        `${place}: expected at most ${fileBytesMax} bytes, got ${size}. Raise fileBytesMax, or take rows out.`,
      );
    return parseRooFile(await readFile(place, "utf8"), place);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw toExchangeError("read", place, error);
  }
}

/**
 * Writes files whole or not at all, into `dir`, which is made if need be. Where one is there already, none is
 * written, but with `force`.
 */
export async function writeLists(
  dir: string,
  files: ReadonlyMap<RooFile, readonly unknown[]>,
  force: boolean,
): Promise<void> {
  const written: string[] = [];
  const remove = async (): Promise<void> => {
    for (const place of written) await rm(place, { force: true });
  };
  try {
    await mkdir(dir, { recursive: true });
    // An empty file keeps the name against whoever else would make it, and is replaced below.
    if (!force) for (const file of files.keys()) written.push(await reserve(path.join(dir, file)));
    for (const [file, list] of files) {
      const part = path.join(dir, `.${file}.${process.pid}.part`);
      written.push(part);
      await writeDurably(part, JSON.stringify(list));
    }
    for (const file of files.keys())
      await rename(path.join(dir, `.${file}.${process.pid}.part`), path.join(dir, file));
  } catch (error) {
    await remove();
    throw toExchangeError("written", dir, error);
  }
}

async function reserve(place: string): Promise<string> {
  try {
    const handle = await open(place, "wx", PRIVATE_FILE);
    await handle.close();
    return place;
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    const problem = `${place}: expected no file of that name, found one. Choose another folder, or use force to replace it.`;
    throw new ExchangeError("EXCHANGE_EXISTS", problem, { cause: error });
  }
}

async function writeDurably(place: string, text: string): Promise<void> {
  const handle = await open(place, "w", PRIVATE_FILE);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function toExchangeError(verb: string, place: string, error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new ExchangeError(
    "EXCHANGE_IO",
    `${place}: it can't be ${verb} (${said}). Check the folder and its rights.`,
    {
      cause: error,
    },
  );
}
