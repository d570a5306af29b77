export { openWorkspace, type WorkspaceOptions } from "./workspace.ts";
