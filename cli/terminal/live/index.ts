export { LivePrompt } from "./prompt.ts";
export { LiveScreen } from "./screen.ts";
