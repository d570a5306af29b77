import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { SignalboxError } from "../../machines/signalbox-error.ts";

/** Reason why the debugger page cannot be written. */
export type TracePageErrorCode =
  /** The files of the page are missing. Run `npm run build`. */
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

/** The visual debugger, built for a page in one file. */
export interface BuiltPage {
  readonly script: string;
  readonly style: string;
}

/** The folder of the built page: `dist/page` of the package that this module, as source or bundled, belongs to. */
export const BUILT_PAGE = path.join(packageFolder(), "dist/page");

function packageFolder(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, "package.json")) && folder !== path.dirname(folder))
    folder = path.dirname(folder);
  return folder;
}

/** The last line of the library, by which it is a module. A script in a page has no exports. */
const EXPORT_LINE = /\nexport const \{[^}]*\} = signalbox;\s*$/;

/** @throws TracePageError `PAGE_NOT_BUILT` if a file is missing */
export async function readBuiltPage(folder: string): Promise<BuiltPage> {
  const [script = "", style = ""] = await Promise.all(
    ["embed.js", "embed.css"].map((name) => readBuilt(path.join(folder, name))),
  );
  return { script: script.replace(EXPORT_LINE, ""), style };
}

async function readBuilt(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const message = `Expected the built visual debugger at ${file}. Build it with \`npm run build\`.`;
    throw new TracePageError("PAGE_NOT_BUILT", message, { cause: error });
  }
}
