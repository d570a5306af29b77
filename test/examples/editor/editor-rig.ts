import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type MockServer, parseScript, startMock } from "../../../testing/index.ts";
import { builtExtension } from "./built-extension.ts";
import { ExtensionProcess } from "./extension-process.ts";
import type { Window } from "./process-message.ts";

/** A folder with `a.txt`, a scripted model, and the windows of an editor that has the folder open. */
export class EditorRig {
  readonly mock: MockServer;
  readonly #base: string;
  readonly #window: Window;
  readonly #processes: ExtensionProcess[] = [];

  private constructor(mock: MockServer, base: string, window: Window) {
    this.mock = mock;
    this.#base = base;
    this.#window = window;
  }

  static async open(script: string, unsaved: Window["unsaved"] = {}): Promise<EditorRig> {
    const mock = await startMock(parseScript(script));
    const base = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
    const folder = path.join(base, "project");
    mkdirSync(folder);
    writeFileSync(path.join(folder, "a.txt"), "saved\n");
    const settings = { model: "claude-sonnet-4-6", baseUrl: mock.url };
    const extension = await builtExtension();
    return new EditorRig(mock, base, {
      folder,
      extension,
      storage: path.join(base, "storage"),
      settings,
      unsaved,
    });
  }

  /** Open a window, whose view has the client of the process unless `onMessage` receives its messages. */
  openWindow(onMessage?: (message: unknown) => void): ExtensionProcess {
    const opened = new ExtensionProcess(this.#window, onMessage);
    this.#processes.push(opened);
    return opened;
  }

  read(name: string): string {
    return readFileSync(path.join(this.#window.folder, name), "utf8");
  }

  /** The body of each request to the model. */
  requests(): readonly string[] {
    return this.mock.requests.map(({ body }) => JSON.stringify(body));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((each) => each.kill()));
    await this.mock.close();
    rmSync(this.#base, { recursive: true, force: true });
  }
}
