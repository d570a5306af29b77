import { jsonEventSchema } from "../../../wire/index.ts";
import type { ParsedJsonEvent } from "../../../wire/ndjson/event.ts";
import type { Installed, ScriptOptions, ScriptRun } from "../installed.ts";
import type { Process } from "../process.ts";

/** A command that is steered by lines on its input. */
export class StreamProcess {
  readonly process: Process;
  readonly workspace: string;
  readonly data: string;
  /** What the model was sent, as text. */
  readonly #bodies: () => string;

  private constructor({ process, workspace, data, bodies }: ScriptRun) {
    this.process = process;
    this.workspace = workspace;
    this.data = data;
    this.#bodies = bodies;
  }

  /** With commands on its input. */
  static start(
    box: Installed,
    script: string,
    args: readonly string[] = ["-y"],
    options: ScriptOptions = {},
  ): Promise<StreamProcess> {
    return StreamProcess.startOnce(box, script, ["--stdin-prompt-stream", ...args], options);
  }

  static async startOnce(
    box: Installed,
    script: string,
    args: readonly string[],
    options: ScriptOptions = {},
  ): Promise<StreamProcess> {
    const stream = ["--print", "--output-format", "stream-json", ...args];
    return new StreamProcess(await box.onScript(script, stream, options));
  }

  /** All that was told so far. */
  get events(): ParsedJsonEvent[] {
    return this.process.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => jsonEventSchema.parse(JSON.parse(line)));
  }

  send(command: string, requestId: string, fields: object = {}): void {
    this.process.line(JSON.stringify({ command, requestId, ...fields }));
  }

  /** The first event that has all of this, once it was told. */
  async event(like: Partial<ParsedJsonEvent>): Promise<ParsedJsonEvent> {
    for (let lines = 0; ; ) {
      const found = this.events.find((event) => matches(event, like));
      if (found !== undefined) return found;
      lines = this.process.stdout.split("\n").length;
      await this.process.said("\n", lines + this.process.stderr.split("\n").length - 1);
    }
  }

  /** What became of a request: its control events. */
  told(requestId: string): string[] {
    return this.events
      .filter((event) => event.type === "control" && event.requestId === requestId)
      .map(({ subtype, code }) => `${subtype} ${code}`);
  }

  done(requestId: string): Promise<ParsedJsonEvent> {
    return this.event({ type: "control", subtype: "done", requestId });
  }

  refused(requestId: string): Promise<ParsedJsonEvent> {
    return this.event({ type: "control", subtype: "error", requestId });
  }

  /** What the model was sent, as text. */
  get bodies(): string {
    return this.#bodies();
  }
}

const matches = (event: ParsedJsonEvent, like: Partial<ParsedJsonEvent>): boolean =>
  Object.entries(like).every(([key, value]) => event[key] === value);
