import { mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type MockServer, parseScript, startMock } from "../../../mock/index.ts";
import { jsonEventSchema, type ParsedJsonEvent } from "../../../wire/index.ts";
import { Process } from "../process.ts";

/** A command that is steered by lines on its input. */
export class StreamProcess {
  readonly process: Process;
  readonly workspace: string;
  readonly mock: MockServer;

  private constructor(process: Process, workspace: string, mock: MockServer) {
    this.process = process;
    this.workspace = workspace;
    this.mock = mock;
  }

  /** With commands on its input. */
  static start(
    bin: string,
    folder: string,
    script: string,
    args: readonly string[] = ["-y"],
    workspace?: string,
  ): Promise<StreamProcess> {
    return StreamProcess.startOnce(bin, folder, script, ["--stdin-prompt-stream", ...args], workspace);
  }

  static async startOnce(
    bin: string,
    folder: string,
    script: string,
    args: readonly string[],
    workspace: string = mkdtempSync(path.join(folder, "work-")),
  ): Promise<StreamProcess> {
    writeFileSync(path.join(workspace, "a.txt"), "one\n");
    const mock = await startMock(parseScript(script));
    const where = ["-w", workspace, "--data-dir", path.join(workspace, "data"), "--base-url", mock.url];
    const stream = ["--print", "--output-format", "stream-json"];
    const process = new Process(bin, ["run", ...where, ...stream, ...args], {
      env: { ANTHROPIC_API_KEY: "any" },
    });
    void process.code.then(() => mock.close());
    return new StreamProcess(process, workspace, mock);
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
    return JSON.stringify(this.mock.requests.map(({ body }) => body));
  }
}

const matches = (event: ParsedJsonEvent, like: Partial<ParsedJsonEvent>): boolean =>
  Object.entries(like).every(([key, value]) => event[key] === value);
