import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { ExchangeError, type RooFile } from "../../wire/roo/error.ts";
import { parseRooFile } from "../../wire/roo/from-roo.ts";
import { PRIVATE_FILE } from "../files/data-folder.ts";
import { writePrivateFile } from "../files/replace-file.ts";
import { systemCode } from "../files/system-code.ts";

/** Read a file of `dir`; undefined if it does not exist. @throws ExchangeError `EXCHANGE_TOO_LARGE`, `EXCHANGE_IO` */
export async function readText(
  dir: string,
  file: RooFile,
  fileBytesMax: number,
): Promise<string | undefined> {
  const filePath = path.join(dir, file);
  try {
    const { size } = await stat(filePath);
    if (size > fileBytesMax)
      throw new ExchangeError(
        "EXCHANGE_TOO_LARGE",
        `${filePath}: expected at most ${fileBytesMax} bytes, got ${size}. Raise fileBytesMax, or remove messages.`,
      );
    return await readFile(filePath, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw toExchangeError("read", filePath, error);
  }
}

/** Read the list in a file of `dir`; undefined if it does not exist. @throws ExchangeError also `EXCHANGE_INVALID` */
export async function readList(
  dir: string,
  file: RooFile,
  fileBytesMax: number,
): Promise<readonly unknown[] | undefined> {
  const text = await readText(dir, file, fileBytesMax);
  return text === undefined ? undefined : parseRooFile(text, path.join(dir, file));
}

/** Write all files or none to `dir`, which is created if necessary. Rejects if one exists, unless `force` is set. */
export async function writeFiles(
  dir: string,
  files: ReadonlyMap<RooFile, string>,
  force: boolean,
): Promise<void> {
  const written: string[] = [];
  const remove = async (): Promise<void> => {
    for (const filePath of written) await rm(filePath, { force: true });
  };
  try {
    await mkdir(dir, { recursive: true });
    // An empty file reserves the name until it is replaced below.
    if (!force) for (const file of files.keys()) written.push(await reserve(path.join(dir, file)));
    for (const [file, text] of files) {
      const part = path.join(dir, `.${file}.${process.pid}.part`);
      written.push(part);
      await writePrivateFile(part, text);
    }
    for (const file of files.keys())
      await rename(path.join(dir, `.${file}.${process.pid}.part`), path.join(dir, file));
  } catch (error) {
    await remove();
    throw toExchangeError("written", dir, error);
  }
}

async function reserve(filePath: string): Promise<string> {
  try {
    const handle = await open(filePath, "wx", PRIVATE_FILE);
    await handle.close();
    return filePath;
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    const problem = `${filePath}: expected no file of that name, found one. Choose another folder, or use force to replace it.`;
    throw new ExchangeError("EXCHANGE_EXISTS", problem, { cause: error });
  }
}

function toExchangeError(verb: string, filePath: string, error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ExchangeError(
    "EXCHANGE_IO",
    `${filePath} cannot be ${verb} (${detail}). Check the folder and its permissions.`,
    {
      cause: error,
    },
  );
}
