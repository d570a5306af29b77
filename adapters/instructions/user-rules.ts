import path from "node:path";
import type { RuleFile } from "../../ports/workspace.ts";
import { formatError } from "../../tools/error.ts";
import type { RuleLimits } from "../workspace/project-rules.ts";
import { readUserFile } from "./user-file.ts";

/** Read the user's own rules: `AGENTS.md` in their folder. The text of a file that can't be read gives the reason. */
export async function readUserRules(
  configDir: string,
  { fileBytes = 32_768 }: Pick<RuleLimits, "fileBytes"> = {},
): Promise<readonly RuleFile[]> {
  const file = path.resolve(configDir, "AGENTS.md");
  try {
    const { text = "", cut = false } = (await readUserFile(file, fileBytes)) ?? {};
    return text.trim() === "" ? [] : [{ path: file, text: text.trim(), cut }];
  } catch (error) {
    return [{ path: file, text: `(This file could not be read: ${formatError(error)})`, cut: false }];
  }
}
