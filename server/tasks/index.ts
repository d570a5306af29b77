export { Book } from "./book.ts";
export { Desk, type ServedTask } from "./desk.ts";
export { Refused } from "./refused.ts";
