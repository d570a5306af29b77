# collect: list the files of the home.
ls "$HOME"
