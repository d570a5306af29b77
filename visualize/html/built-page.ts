import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { TracePageError } from "./error.ts";

/** What the build makes of the visual debugger for a page that is one file. */
export interface BuiltPage {
  readonly script: string;
  readonly style: string;
}

/** Where the build puts it, seen from where this is loaded: compiled, or as source. */
export const BUILT_PAGE = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../dist/page" : "../../page", import.meta.url),
);

/** @throws TracePageError `PAGE_NOT_BUILT` where the folder has not both */
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
    const message = `The visual debugger is not built: ${file} can't be read. Make it with \`npm run build\`.`;
    throw new TracePageError("PAGE_NOT_BUILT", message, { cause: error });
  }
}
