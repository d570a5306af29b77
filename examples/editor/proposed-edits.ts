import type { Task } from "signalbox";
import { commands, type TextDocumentContentProvider, Uri } from "vscode";

/** Shows the edit that an ask proposes in the editor's own diff. */
export class ProposedEdits implements TextDocumentContentProvider {
  static readonly scheme = "signalbox-proposal";
  readonly #texts = new Map<string, string>();

  provideTextDocumentContent(uri: Uri): string {
    return this.#texts.get(uri.toString()) ?? "";
  }

  async show(ask: Task["asks"][number]): Promise<void> {
    if (!("proposal" in ask) || ask.proposal?.kind !== "file") return;
    const { path, before = "", after } = ask.proposal;
    this.#texts.clear();
    const documents = { before, after };
    const [left, right] = Object.entries(documents).map(([side, text]) => {
      const uri = Uri.from({ scheme: ProposedEdits.scheme, path: `/${path}`, query: `${ask.id}-${side}` });
      this.#texts.set(uri.toString(), text);
      return uri;
    });
    await commands.executeCommand("vscode.diff", left, right, `${path} (proposed)`, { preserveFocus: true });
  }
}
