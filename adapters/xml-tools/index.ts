export { type XmlToolsOptions, xmlTools } from "./model.ts";
