export { eventText } from "./event.ts";
export { send } from "./send.ts";
