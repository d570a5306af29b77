import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import type { RunRow } from "../../../control/runs/row.ts";
import { replaceFile } from "../../../store/files/replace-file.ts";
import { syncFolders } from "../../../store/files/sync-folders.ts";
import { CliError, errorMessage } from "../../error.ts";
import { decodeUserText } from "../../text-file.ts";
import { RunError } from "../run-error.ts";
import { keyOf } from "./planned-run.ts";
import { rowSchema } from "./row-schema.ts";

const LINE_END = 0x0a;

/** A JSONL file with a row for each run that has ended. The disk has the rows of a group before its worker goes on. */
export class RowFile {
  readonly #file: string;
  #handle: FileHandle;
  #rows: readonly RunRow[];
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: string, handle: FileHandle, rows: readonly RunRow[]) {
    this.#file = file;
    this.#handle = handle;
    this.#rows = rows;
  }

  /**
   * Open a file, or create it. A last line that was cut off by the end of a process is removed.
   *
   * @throws CliError for a file that cannot be written
   * @throws RunError `ROW_INVALID` for a line that is no row
   */
  static async open(file: string): Promise<RowFile> {
    const handle = await open(file, "a+").catch((cause: unknown) => {
      throw new CliError(
        `--out: ${file} cannot be written (${errorMessage(cause)}). Name a file in a folder that exists.`,
        { cause },
      );
    });
    try {
      const bytes = await handle.readFile();
      const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_END) + 1);
      const rows = rowsIn(decodeUserText(whole, file), file);
      if (whole.length < bytes.length) await handle.truncate(whole.length);
      await handle.sync();
      await syncFolders(path.dirname(path.resolve(file)));
      return new RowFile(file, handle, rows);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  get rows(): readonly RunRow[] {
    return this.#rows;
  }

  /** Append rows in one write. Resolves when the disk has them. */
  append(rows: readonly RunRow[]): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      await this.#handle.appendFile(textOf(rows));
      await this.#handle.datasync();
      this.#rows = [...this.#rows, ...rows];
    });
    return this.#writing;
  }

  /** Remove the rows with these keys, before any is appended. Resolves when the disk has the others only. */
  async remove(keys: ReadonlySet<string>): Promise<void> {
    if (keys.size === 0) return;
    this.#rows = this.#rows.filter((row) => !keys.has(keyOf(row)));
    await replaceFile(this.#file, textOf(this.#rows));
    await syncFolders(path.dirname(path.resolve(this.#file)));
    await this.#handle.close();
    this.#handle = await open(this.#file, "a");
  }

  /** Sort the rows by their keys, so that equal runs give equal files in whatever order they ended. */
  async sort(): Promise<void> {
    const sorted = this.#rows.map((row): readonly [string, RunRow] => [keyOf(row), row]);
    sorted.sort(([a], [b]) => (a < b ? -1 : 1));
    await replaceFile(this.#file, textOf(sorted.map(([, row]) => row)));
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

const textOf = (rows: readonly RunRow[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

function rowsIn(text: string, file: string): RunRow[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line, index) => {
    const found = rowSchema.safeParse(parsed(line));
    if (found.success) return found.data;
    const [issue] = found.error.issues;
    const place = issue?.path.join(".") || "the line";
    throw new RunError(
      "ROW_INVALID",
      `${file}:${index + 1}: expected a row of a run, got something else at ${place} (${issue?.message ?? "invalid"}). Name another file, or remove the line.`,
      { cause: found.error },
    );
  });
}

/** The value of a line. Undefined, which no row is, for a line that is not JSON. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
