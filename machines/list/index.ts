export { PersistentList } from "./list.ts";
