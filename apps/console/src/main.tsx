import { render } from "preact";
import { startFeed } from "./api/feed.ts";
import { followServer } from "./api/server.ts";
import { takeTokenFromAddress } from "./api/token.ts";
import { startClock } from "./format/time.ts";
import { listenToKeys } from "./keyboard/keys.ts";
import { followLinks } from "./location/location.ts";
import { Shell } from "./shell/shell.tsx";
import { followTheme } from "./shell/theme.ts";
import "./styles/theme.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/components.css";

takeTokenFromAddress();
followTheme();
startClock();
followLinks();
listenToKeys();
followServer();
void startFeed();

render(<Shell />, document.getElementById("app")!);
