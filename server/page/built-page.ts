import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { TracePageError } from "./error.ts";

/** The visual debugger, built for a page in one file. */
export interface BuiltPage {
  readonly script: string;
  readonly style: string;
}

/** The folder of the built page, relative to this module, compiled or as source. */
export const BUILT_PAGE = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../dist/page" : "../../page", import.meta.url),
);

/** @throws TracePageError `PAGE_NOT_BUILT` if a file is missing */
export async function readBuiltPage(folder: string): Promise<BuiltPage> {
  const [script, style] = await Promise.all(
    ["embed.script.js", "embed.css"].map((name) => readBuilt(path.join(folder, name))),
  );
  return { script: script ?? "", style: style ?? "" };
}

async function readBuilt(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const message = `Expected the built visual debugger at ${file}. Build it with \`npm run build\`.`;
    throw new TracePageError("PAGE_NOT_BUILT", message, { cause: error });
  }
}
