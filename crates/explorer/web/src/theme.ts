// The theme: light, dark, or that of the system.

const KEY = "quaff-theme";
const themes = ["auto", "light", "dark"];

export function startTheme(button: HTMLElement): void {
  let theme = read();
  const show = () => {
    button.textContent = `Theme: ${theme}`;
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length]!;
    write(theme);
    show();
  });
  show();
}

// The page may have no access to the storage, for example if it is opened from a file.
function read(): string {
  try {
    const theme = localStorage.getItem(KEY) ?? "auto";
    return themes.includes(theme) ? theme : "auto";
  } catch {
    return "auto";
  }
}

function write(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without the storage, the choice lasts only until the page is closed.
  }
}
