// The page of the view: a client of the extension's bridge.
import { createRoot } from "react-dom/client";
import { ExtensionClient } from "signalbox/client";
import { clientSource } from "signalbox/react";
import { Chat } from "./chat.tsx";

declare function acquireVsCodeApi(): { postMessage(message: unknown): void };

const editor = acquireVsCodeApi();
const client = new ExtensionClient({ sendMessage: (message) => editor.postMessage(message) });
addEventListener("message", ({ data }) => client.handleMessage(data));
const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<Chat client={client} source={clientSource(client)} />);
client.launch();
