export { allowCommands } from "./commands.ts";
export { globError } from "./path-glob.ts";
export { type PermissionSource, ruleError } from "./permission-rule.ts";
export type { PermissionExplanation, PermissionMatch, Policy, PolicyCall, PolicyFacts } from "./policy.ts";
export {
  allowEverything,
  allowReadsInside,
  allowSubtasks,
  allowTodoList,
  allowWritesInside,
  askAPerson,
  denyEverything,
  firstOf,
} from "./rules.ts";
export { suggestedRules } from "./suggested-rules.ts";
