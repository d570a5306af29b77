import { existsSync } from "node:fs";
import path from "node:path";
import { findProjectRules } from "../../adapters/workspace/project-rules.ts";
import { printable } from "../../client/printable/printable.ts";
import { selectedModel } from "../../machines/task/profile.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { Style } from "../show/style.ts";

/** Format the first lines of a run: where it works, with what, and which instructions it found. */
export function formatFirstScreen(task: Task, configDir: string, style: Style): readonly string[] {
  const { context } = task.snapshot;
  const { mode, permissions } = context;
  const model = selectedModel(context);
  const facts = [
    ...(model === undefined ? [] : [`model ${model.id}`]),
    `mode ${mode}`,
    `permission mode ${permissions.mode}`,
  ];
  const found = [
    ...findProjectRules(task.workspace),
    ...[path.join(configDir, "AGENTS.md")].filter((file) => existsSync(file)),
  ];
  return [
    `${style.bold("signalbox")} in ${printable(task.workspace)}`,
    printable(facts.join(" · ")),
    `Instructions: ${found.length === 0 ? "none found (AGENTS.md)" : printable(found.join(", "))}`,
    "/help lists the commands.",
  ].map((line) => style.dim(line));
}
