export { frozen } from "./frozen.ts";
export { PersistentList } from "./list.ts";
