// An extension that runs one task at a time and shows it in the side bar.
import { createHost, type Host } from "signalbox";
import { TaskBridge } from "signalbox/client";
import { commands, type ExtensionContext, window, workspace } from "vscode";
import { createTask, newestTask } from "./folder-task.ts";
import { ProposedEdits } from "./proposed-edits.ts";
import { TaskView } from "./task-view.ts";

let host: Host | undefined;

export async function activate({ globalStorageUri, extensionUri, secrets, subscriptions }: ExtensionContext) {
  const report = (error: unknown) => void window.showErrorMessage(String(error));
  const dataDir = globalStorageUri.fsPath;
  const opened = createHost({ dataDir, onError: report });
  host = opened;

  const edits = new ProposedEdits();
  opened.opened$.subscribe((task) => task.asks$.subscribe((ask) => edits.show(ask)));

  const view = new TaskView(extensionUri, (message) => bridge.receive(message));
  const bridge = new TaskBridge({
    host: opened,
    send: (message) => view.post(message),
    newTask: async () => {
      // One task at a time.
      for (const id of opened.tasks.keys()) await opened.close(id);
      return createTask(opened, secrets);
    },
    clearTask: (task) => task.close(),
  });
  // After a reload the view shows the task that was open before.
  bridge.show(await newestTask(opened, dataDir, secrets).catch(report));

  subscriptions.push(
    workspace.registerTextDocumentContentProvider(ProposedEdits.scheme, edits),
    window.registerWebviewViewProvider("signalbox.task", view),
    commands.registerCommand("signalbox.newTask", () => bridge.receive({ type: "clearTask" })),
    commands.registerCommand("signalbox.cancelTask", () => bridge.receive({ type: "cancelTask" })),
    commands.registerCommand("signalbox.setApiKey", async () => {
      const key = await window.showInputBox({ prompt: "API key of the next task", password: true });
      if (key) await secrets.store("apiKey", key);
    }),
  );
}

export const deactivate = () => host?.closeAll();
