export { timerActor } from "./timer.ts";
