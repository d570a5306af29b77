import path from "node:path";
import { pathToFileURL } from "node:url";
import { taskMachine } from "../../machines/task/index.ts";
import { CliError, wordsOf } from "../error.ts";

/**
 * The machine that a module exports as `machine`: the task machine with other actions or guards.
 * @throws CliError where the module can't be loaded, or has no such machine
 */
export async function loadMachine(file: string): Promise<typeof taskMachine> {
  const machine = await exportedBy(file);
  if (isOurs(machine)) return machine;
  throw new CliError(
    `--machine: ${file} exports no \`machine\` that \`taskMachine.provide\` of this package made. Expected \`export const machine = taskMachine.provide({ ... })\`, with taskMachine from "signalbox/machines" as it is installed beside this command.`,
  );
}

async function exportedBy(file: string): Promise<unknown> {
  try {
    const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(path.resolve(file)).href);
    return module.machine;
  } catch (error) {
    throw new CliError(`--machine: ${file} can't be loaded: ${wordsOf(error)}`, { cause: error });
  }
}

/** `provide` keeps the very table of states: by it a machine is known for ours, whatever its actions are. */
const isOurs = (machine: unknown): machine is typeof taskMachine =>
  typeof machine === "object" &&
  machine !== null &&
  "config" in machine &&
  machine.config === taskMachine.config;
