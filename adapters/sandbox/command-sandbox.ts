import { accessesOf } from "./accesses.ts";
import type { EnteredProgram, ProgramCall } from "./entered-program.ts";
import type { TaskSandboxOptions } from "./options.ts";
import { withoutPatterns } from "./patterns.ts";
import { proveSandbox } from "./proof.ts";
import { meansOf, type SandboxSystem, THIS_SYSTEM } from "./system.ts";

/** Programs that run in a sandbox of their own each. */
export class CommandSandbox {
  readonly options: TaskSandboxOptions;
  readonly #workspace: string;
  readonly #temporary: string | undefined;
  readonly #system: SandboxSystem;

  /** `temporary`: a folder for the temporary files of several programs. Default: each program has one of its own. */
  constructor(options: TaskSandboxOptions, workspace: string, temporary?: string, system = THIS_SYSTEM) {
    this.options = options;
    this.#workspace = workspace;
    this.#temporary = temporary;
    this.#system = system;
  }

  /** Prepare the start of a program. The first one waits for the probes of the sandbox. @throws SandboxError */
  async enter(call: ProgramCall): Promise<EnteredProgram> {
    const means = meansOf(this.#system);
    const rules = accessesOf(await withoutPatterns(this.options, this.#workspace), this.#workspace);
    const { hosts = [] } = this.options;
    await proveSandbox(means, { rules, options: this.options, workspace: this.#workspace });
    return means.enter(call, { rules, hosts, temporary: this.#temporary });
  }
}
