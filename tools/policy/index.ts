export { allowCommands } from "./commands.ts";
export type { Policy, PolicyCall, PolicyFacts } from "./policy.ts";
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
