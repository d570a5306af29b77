import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { init, parse } from "es-module-lexer";
import { CliError, errorMessage } from "../error.ts";
import { readUserText } from "../text-file.ts";

/**
 * The text of a module and of all files that it imports by a relative path: where one changes, what the module exports may
 * change. Packages are not read.
 *
 * @throws CliError for a file that can't be read, or whose imports can't
 */
export async function moduleSource(file: string): Promise<string> {
  await init;
  const texts = new Map<string, string>();
  const add = async (found: string): Promise<void> => {
    if (texts.has(found)) return;
    const text = await readModule(found);
    texts.set(found, text);
    for (const imported of importsOf(text, found)) await add(imported);
  };
  const start = path.resolve(file);
  await add(start);
  const sources = [...texts].map(([found, text]) => [path.relative(path.dirname(start), found), text]);
  return JSON.stringify(sources);
}

async function readModule(file: string): Promise<string> {
  try {
    return await readUserText(file);
  } catch (cause) {
    throw new CliError(`--protocol: can't read ${file}: ${errorMessage(cause)}.`, { cause });
  }
}

/** The files that a module imports by a relative path, with `import` or `import()`. */
function importsOf(text: string, file: string): readonly string[] {
  try {
    if (!/\.[cm]?[jt]s$/.test(file)) return [];
    const [imports] = parse(text, file);
    return imports
      .flatMap(({ n: name }) => (name !== undefined && /^\.{1,2}\//.test(name) ? [name] : []))
      .map((name) => fileURLToPath(new URL(name, pathToFileURL(file))));
  } catch (cause) {
    throw new CliError(`--protocol: can't read the imports of ${file}: ${errorMessage(cause)}.`, { cause });
  }
}
