import { anthropic, type Host, openHistory, type Task } from "signalbox";
import { type SecretStorage, workspace } from "vscode";
import { workspaceEditor } from "./workspace-editor.ts";

/** Creates a task in the open folder. */
export async function createTask(host: Host, secrets: SecretStorage): Promise<Task> {
  return host.create(await taskOptions(secrets));
}

/** Opens the newest task of the open folder from its journal, if there is one. */
export async function newestTask(
  host: Host,
  dataDir: string,
  secrets: SecretStorage,
): Promise<Task | undefined> {
  const folder = workspace.workspaceFolders?.[0];
  if (folder === undefined) return undefined;
  const tasks = await openHistory({ dataDir }).list({ workspace: folder.uri.fsPath });
  const newest = tasks.find(({ parentId }) => parentId === undefined);
  return newest && host.open(newest.id, await taskOptions(secrets));
}

/** The open folder with its editor, and the model of the settings. */
async function taskOptions(secrets: SecretStorage) {
  const folder = workspace.workspaceFolders?.[0];
  if (folder === undefined) throw new Error("A task works in a folder. Open one, then start it again.");
  const settings = workspace.getConfiguration("signalbox");
  const model = anthropic({
    model: settings.get("model", "claude-sonnet-4-6"),
    baseURL: settings.get("baseUrl"),
    apiKey: await secrets.get("apiKey"),
    keySource: "the command Signalbox: Set API Key",
  });
  return { model, workspace: { root: folder.uri.fsPath, editor: workspaceEditor(folder.uri) } };
}
