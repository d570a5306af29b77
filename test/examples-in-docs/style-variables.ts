import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./program.ts";

/** The variables by which a page that embeds the debugger changes its theme: one for each token of the style. */
export function styleVariables(): readonly string[] {
  const style = readFileSync(path.join(root, "visualize/page/style/tokens.css"), "utf8");
  const [, tokens = ""] = /^\.signalbox \{(.*?)^\}/ms.exec(style) ?? [];
  return [...tokens.matchAll(/^\s*--([\w-]+):/gm)].map(([, name = ""]) => `--sb-${name}`);
}
