export { findProjectRules, type RuleLimits } from "./project-rules.ts";
export { openWorkspace, type WorkspaceOptions } from "./workspace.ts";
