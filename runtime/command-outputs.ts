import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import type { KeptOutput } from "../ports/artifacts.ts";
import type { TaskObjects } from "../ports/objects.ts";
import type { CommandResult } from "../ports/shell.ts";
import { formatError } from "../tools/error.ts";

/** The full outputs of a task's commands, as objects of the task. */
export class CommandOutputs {
  readonly #objects: TaskObjects;

  constructor(objects: TaskObjects) {
    this.#objects = objects;
  }

  /** Move the file of a full output to the objects. If that fails, the result says why, and names the file. */
  async keep(result: CommandResult): Promise<CommandResult> {
    const { fullOutputPath: file, ...others } = result;
    if (file === undefined) return result;
    const id = `output/${path.basename(file)}`;
    try {
      await this.#objects.put(id, createReadStream(file));
      await rm(file);
      return { ...others, fullOutputId: id };
    } catch (error) {
      const note = `[The full output is on this machine only. ${formatError(error)}]`;
      return { ...result, output: `${result.output}\n${note}` };
    }
  }

  /** Find a kept output; undefined if there is none with this id. */
  async find(id: string): Promise<KeptOutput | undefined> {
    const found = (await this.#objects.list("output")).find(({ name }) => name === id);
    return found && { bytes: found.bytes, read: (from) => this.#objects.read(id, from) };
  }
}
