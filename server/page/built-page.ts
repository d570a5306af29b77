import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { SignalboxError } from "../../machines/signalbox-error.ts";
import { type BuiltPage, builtPage } from "../../visualize/share/built-page.ts";

/** Reason why the debugger page cannot be written. */
export type TracePageErrorCode =
  /** The files of the page are missing. Install `@signalbox/debugger`; in a checkout, run `npm run build`. */
  "PAGE_NOT_BUILT";

/** A page that can't be made. */
export class TracePageError extends SignalboxError {
  override readonly name = "TracePageError";
  readonly code: TracePageErrorCode;

  constructor(code: TracePageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The folder of the built page in `@signalbox/debugger`; undefined where that package is not installed. */
export function builtPageFolder(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve("@signalbox/debugger/package.json");
    return path.join(path.dirname(manifest), "dist/page");
  } catch {
    return undefined;
  }
}

/** The way to get the page, for who has the engine alone. */
export const NO_PAGE =
  "The debugger's page is a package of its own. Install it with `npm install @signalbox/debugger`.";

/** @throws TracePageError `PAGE_NOT_BUILT` if the page is not installed, or a file is missing */
export async function readBuiltPage(folder: string | undefined): Promise<BuiltPage> {
  if (folder === undefined) throw new TracePageError("PAGE_NOT_BUILT", NO_PAGE);
  return builtPage((name) => readBuilt(path.join(folder, name)));
}

async function readBuilt(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const message = `Expected the built visual debugger at ${file}. Build it with \`npm run build\`.`;
    throw new TracePageError("PAGE_NOT_BUILT", message, { cause: error });
  }
}
