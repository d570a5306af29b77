import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Output, Window } from "./process-message.ts";

/** The parts of the module `vscode` that the example uses, on the disk and the connection to the test. */

export const given: Window = JSON.parse(process.argv[2] ?? "");
export const send = (output: Output): void => void process.send?.(output);

export class Uri {
  readonly scheme: string;
  readonly path: string;
  readonly query: string;

  private constructor(scheme: string, name: string, query = "") {
    this.scheme = scheme;
    this.path = name;
    this.query = query;
  }

  static file(name: string): Uri {
    return new Uri("file", name);
  }

  static from(parts: { scheme: string; path: string; query: string }): Uri {
    return new Uri(parts.scheme, parts.path, parts.query);
  }

  static joinPath(uri: Uri, ...names: readonly string[]): Uri {
    return new Uri(uri.scheme, path.posix.join(uri.path, ...names));
  }

  get fsPath(): string {
    return this.path;
  }

  toString(): string {
    return `${this.scheme}:${this.path}?${this.query}`;
  }
}

export class Range {
  readonly start: { readonly line: number };

  constructor(line: number) {
    this.start = { line };
  }
}

export const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 } as const;

/** An edit replaces whole texts. */
export class WorkspaceEdit {
  readonly texts = new Map<string, string>();

  createFile({ fsPath }: Uri): void {
    if (!existsSync(fsPath)) writeFileSync(fsPath, "");
  }

  replace({ fsPath }: Uri, _: Range, text: string): void {
    this.texts.set(fsPath, text);
  }
}

class Document {
  readonly uri: Uri;
  text: string;
  isDirty = false;

  constructor(fsPath: string) {
    this.uri = Uri.file(fsPath);
    this.text = existsSync(fsPath) ? readFileSync(fsPath, "utf8") : "";
  }

  change(text: string): void {
    this.text = text;
    this.isDirty = true;
  }

  getText(): string {
    return this.text;
  }

  async save(): Promise<boolean> {
    writeFileSync(this.uri.fsPath, this.text);
    this.isDirty = false;
    send({ type: "saved", path: path.relative(given.folder, this.uri.fsPath) });
    return true;
  }
}

interface ContentProvider {
  provideTextDocumentContent(uri: Uri): string;
}
let provider: ContentProvider | undefined;

export const workspace = {
  workspaceFolders: [{ uri: Uri.file(given.folder) }],
  textDocuments: [] as Document[],
  getConfiguration: () => ({ get: (name: string, other?: string) => given.settings[name] ?? other }),
  registerTextDocumentContentProvider(_: string, registered: ContentProvider) {
    provider = registered;
  },
  async openTextDocument({ fsPath }: Uri): Promise<Document> {
    const open = workspace.textDocuments.find(({ uri }) => uri.fsPath === fsPath) ?? new Document(fsPath);
    if (!workspace.textDocuments.includes(open)) workspace.textDocuments.push(open);
    return open;
  },
  async applyEdit({ texts }: WorkspaceEdit): Promise<boolean> {
    for (const [fsPath, text] of texts) (await workspace.openTextDocument(Uri.file(fsPath))).change(text);
    return true;
  },
};

interface ViewProvider {
  resolveWebviewView(view: object): void;
}
let viewProvider: ViewProvider | undefined;
let receive = (_: unknown): void => {};

const webview = {
  cspSource: "https://webview.test",
  asWebviewUri: ({ path: name }: Uri) => `https://webview.test${name.slice(given.extension.length)}`,
  postMessage: async (message: unknown) => send({ type: "webview", message }),
  onDidReceiveMessage(listener: typeof receive) {
    receive = listener;
  },
  set html(html: string) {
    send({ type: "page", html });
  },
};

export const window = {
  visibleTextEditors: [] as { readonly document: Document }[],
  registerWebviewViewProvider(_: string, registered: ViewProvider) {
    viewProvider = registered;
  },
  async showErrorMessage(text: string) {
    send({ type: "problem", text });
  },
  showInputBox: async () => "a key",
};

export const languages = {
  getDiagnostics: () => [
    [
      Uri.file(path.join(given.folder, "a.txt")),
      [{ range: new Range(1), severity: DiagnosticSeverity.Warning, message: "Seen." }],
    ],
  ],
};

const registered = new Map<string, () => unknown>();

export const commands = {
  registerCommand: (name: string, run: () => unknown) => registered.set(name, run),
  async executeCommand(name: string, left: Uri, right: Uri, title: string) {
    if (name !== "vscode.diff") throw new Error(`Expected vscode.diff, not ${name}.`);
    const [before = "", after = ""] = [left, right].map((uri) => provider?.provideTextDocumentContent(uri));
    send({ type: "diff", title, before, after });
  },
};

/** The actions of the user and of the window. */
export const user = {
  async change(name: string, text: string): Promise<void> {
    const document = await workspace.openTextDocument(Uri.file(path.join(given.folder, name)));
    document.change(text);
    window.visibleTextEditors.push({ document });
  },
  showView: () => viewProvider?.resolveWebviewView({ webview, onDidDispose: () => {} }),
  postMessage: (message: unknown) => receive(message),
  run: (name: string) => registered.get(name)?.(),
};

const stored = new Map([["apiKey", "any"]]);

/** The context of the extension. */
export const context = {
  globalStorageUri: Uri.file(given.storage),
  extensionUri: Uri.file(given.extension),
  secrets: {
    get: async (name: string) => stored.get(name),
    store: async (name: string, value: string) => void stored.set(name, value),
  },
  subscriptions: [] as unknown[],
};
