import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseScript } from "../../../testing/mock/script/script-parser.ts";
import { type MockServer, startMock } from "../../../testing/mock/server/server.ts";
import { AcpClient, type Answers, inThisProcess } from "./acp-client.ts";

export const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
export const READ = "{ tool: read_file, input: { path: a.txt } }";
export const run = (command: string): string =>
  `{ tool: execute_command, input: { command: ${JSON.stringify(command)} } }`;
export const ASK =
  "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: red }, { text: blue }] } }";

/** A folder with a model that answers from a script, for agents one after another. */
export class ScriptedFolder {
  readonly workspace = mkdtempSync(path.join(tmpdir(), "acp-"));
  readonly dataDir = path.join(this.workspace, "data");
  readonly configDir = path.join(this.workspace, "config");
  readonly mock: MockServer;

  private constructor(mock: MockServer) {
    this.mock = mock;
    writeFileSync(path.join(this.workspace, "a.txt"), "one\n");
  }

  static async open(script: string): Promise<ScriptedFolder> {
    return new ScriptedFolder(await startMock(parseScript(script)));
  }

  /** Write the settings of the user. */
  writeSettings(text: string): void {
    mkdirSync(path.join(this.configDir, "signalbox"), { recursive: true });
    writeFileSync(path.join(this.configDir, "signalbox/settings.yaml"), text, { mode: 0o600 });
  }

  /** A workspace of its own, for one session. */
  newWorkspace(): string {
    const workspace = mkdtempSync(path.join(this.workspace, "work-"));
    writeFileSync(path.join(workspace, "a.txt"), "one\n");
    return workspace;
  }

  get args(): readonly string[] {
    return ["--data-dir", this.dataDir, "--base-url", this.mock.url, "--no-checkpoints"];
  }

  get env(): Readonly<Record<string, string>> {
    return { XDG_CONFIG_HOME: this.configDir, TEST_KEY: "sk-test-0123456789" };
  }

  /** An agent in this process, with a client. */
  connect(answers?: Answers, args: readonly string[] = ["--api-key", "sk-test-0123456789"]): AcpClient {
    return new AcpClient(inThisProcess([...this.args, ...args], this.env), answers);
  }

  /** End the model, and remove the folder. */
  async close(): Promise<void> {
    await this.mock.close();
    rmSync(this.workspace, { recursive: true, force: true });
  }

  /** What the model was sent, as text. */
  get sent(): string {
    return JSON.stringify(this.mock.requests.map(({ body }) => body));
  }
}
