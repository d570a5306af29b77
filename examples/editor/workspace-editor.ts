import type { EditorPort } from "signalbox/tools";
import { DiagnosticSeverity, languages, Range, Uri, WorkspaceEdit, window, workspace } from "vscode";

const SEVERITIES = {
  [DiagnosticSeverity.Error]: "error",
  [DiagnosticSeverity.Warning]: "warning",
  [DiagnosticSeverity.Information]: "information",
  [DiagnosticSeverity.Hint]: "hint",
} as const;

/** A longer range ends where the text ends. */
const WHOLE = new Range(0, 0, Number.MAX_SAFE_INTEGER, 0);

/** The folder as a task reads and writes it: with the text of documents that are not saved. */
export function workspaceEditor(folder: Uri): EditorPort {
  const files = () => workspace.textDocuments.filter(({ uri }) => uri.scheme === "file");
  return {
    readBuffer(path) {
      const { fsPath } = Uri.joinPath(folder, path);
      return files()
        .find(({ uri, isDirty }) => isDirty && uri.fsPath === fsPath)
        ?.getText();
    },
    async save(path, text) {
      const uri = Uri.joinPath(folder, path);
      const edit = new WorkspaceEdit();
      edit.createFile(uri, { ignoreIfExists: true });
      edit.replace(uri, WHOLE, text);
      const isApplied = await workspace.applyEdit(edit);
      const document = await workspace.openTextDocument(uri);
      if (!isApplied || !(await document.save())) throw new Error(`The editor did not save ${path}.`);
    },
    openFiles: () =>
      files().map((document) => ({
        path: document.uri.fsPath,
        visible: window.visibleTextEditors.some((editor) => editor.document === document),
        unsaved: document.isDirty,
      })),
    diagnostics: () =>
      languages.getDiagnostics().flatMap(([uri, found]) =>
        found.map(({ range, severity, message }) => ({
          path: uri.fsPath,
          line: range.start.line + 1,
          severity: SEVERITIES[severity],
          message,
        })),
      ),
  };
}
