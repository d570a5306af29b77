import path from "node:path";
import { pathToFileURL } from "node:url";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { CliError, errorMessage } from "../error.ts";

/**
 * Load the machine that a module exports as `machine`: the task machine with other actions or guards.
 * @throws CliError where the module can't be loaded, or has no such machine
 */
export async function loadMachine(file: string): Promise<typeof taskMachine> {
  const machine = await exportedBy(file);
  if (isTaskMachine(machine)) return machine;
  throw new CliError(
    `--machine: ${file} exports no \`machine\` made by this package's \`taskMachine.provide\`. Expected \`export const machine = taskMachine.provide({ ... })\`, with taskMachine from the "signalbox/machines" that this command belongs to.`,
  );
}

async function exportedBy(file: string): Promise<unknown> {
  try {
    const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(path.resolve(file)).href);
    return module.machine;
  } catch (error) {
    throw new CliError(`--machine: can't load ${file}: ${errorMessage(error)}`, { cause: error });
  }
}

/** `provide` keeps the config object, which identifies the task machine, whatever its actions are. */
const isTaskMachine = (machine: unknown): machine is typeof taskMachine =>
  typeof machine === "object" &&
  machine !== null &&
  "config" in machine &&
  machine.config === taskMachine.config;
