import theme from "vitepress/theme-without-fonts";
import "../../../apps/console/src/styles/theme.css";
import "./colours.css";
import "./frame.css";
import "./prose.css";
import "./home.css";

export default theme;
