export type { Policy, PolicyCall, PolicyFacts } from "./policy.ts";
export {
  allowEverything,
  allowReadsInside,
  allowTodoList,
  allowWritesInside,
  askAPerson,
  denyEverything,
  firstOf,
} from "./rules.ts";
