grep -q collect "$HOME/.profile"
