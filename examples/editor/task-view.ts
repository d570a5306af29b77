import { randomUUID } from "node:crypto";
import { Uri, type Webview, type WebviewView, type WebviewViewProvider } from "vscode";

/** The view of the side bar. Its page is loaded again whenever it is shown, and then requests the whole state. */
export class TaskView implements WebviewViewProvider {
  readonly #folder: Uri;
  readonly #receive: (message: unknown) => void;
  #webview: Webview | undefined;

  constructor(extension: Uri, receive: (message: unknown) => void) {
    this.#folder = Uri.joinPath(extension, "dist/webview");
    this.#receive = receive;
  }

  post(message: unknown): unknown {
    return this.#webview?.postMessage(message);
  }

  resolveWebviewView(view: WebviewView): void {
    const { webview } = view;
    this.#webview = webview;
    view.onDidDispose(() => {
      if (this.#webview === webview) this.#webview = undefined;
    });
    webview.options = { enableScripts: true, localResourceRoots: [this.#folder] };
    webview.onDidReceiveMessage(this.#receive);
    webview.html = this.#page(webview);
  }

  #page(webview: Webview): string {
    const nonce = randomUUID();
    const address = (name: string) => webview.asWebviewUri(Uri.joinPath(this.#folder, name));
    const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${webview.cspSource}`;
    return `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta http-equiv="Content-Security-Policy" content="${policy}" />
  <link rel="stylesheet" href="${address("style.css")}" />
  <title>Task</title>
  <div id="root"></div>
  <script nonce="${nonce}" src="${address("main.js")}"></script>
</html>`;
  }
}
