export { MESSAGES_MAX_ROWS, MessagesPane } from "./pane.tsx";
