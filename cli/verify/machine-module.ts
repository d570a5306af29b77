import { taskMachine } from "../../machines/task/task.machine.ts";
import { VERSION } from "../../wire/version.ts";
import { CliError } from "../error.ts";
import { loadUserModule } from "../user-module.ts";

/**
 * Load the machine that a module exports as `machine`: the task machine with other actions or guards.
 * @throws CliError where the module can't be loaded, or has no such machine
 */
export async function loadMachine(file: string): Promise<typeof taskMachine> {
  const { machine } = await loadUserModule(file, "--machine");
  if (isTaskMachine(machine)) return taskMachine.provide(machine.implementations);
  throw new CliError(
    `--machine: ${file} exports no \`machine\` made by \`taskMachine.provide\` of this version, ${VERSION}. Expected \`export const machine = taskMachine.provide({ ... })\`, with taskMachine from "signalbox/machines".`,
  );
}

/**
 * `provide` keeps the states and transitions, which identify the task machine, whatever its actions are. The module may have
 * a copy of the package of its own.
 */
const isTaskMachine = (machine: unknown): machine is typeof taskMachine =>
  machine instanceof Object &&
  "config" in machine &&
  "implementations" in machine &&
  JSON.stringify(machine.config) === JSON.stringify(taskMachine.config);
