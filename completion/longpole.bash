# bash completion for longpole
# SPDX-License-Identifier: BSD-3-Clause

# The options of a command. One row a command; scripts/check-completion compares them with --help.
_longpole_options() { # COMMAND
    local common='--json --output --top --threads --salvage --color --quiet --verbose --help'
    case $1 in
    analyze) echo "$common" ;;
    path) echo "--segments --tight $common" ;;
    parallelism) echo "--count --place $common" ;;
    doctor) echo "--json --output --color --help" ;;
    esac
}

# What may follow an option that takes a value: words, or "FILE", or "N".
_longpole_values() { # OPTION
    case $1 in
    --color) echo 'auto always never' ;;
    --count) echo 'work all' ;;
    --place) echo 'earliest latest' ;;
    --output | -o) echo FILE ;;
    --top | --threads) echo N ;;
    esac
}

# Directories and what looks like an input; every file when there is none.
_longpole_inputs() { # BEGINNING
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(
        {
            compgen -d -- "$1"
            compgen -f -X '!*.otf2' -- "$1"
            compgen -f -X '!*.json' -- "$1"
        } | sort -u
    )
    [[ ${#COMPREPLY[@]} != 0 ]] || mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_longpole() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} values
    COMPREPLY=()
    if [[ $COMP_CWORD == 1 ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'analyze path parallelism doctor --help --version' -- "$current")
        return
    fi
    # readline takes --color=auto for three words
    if [[ $current == = ]]; then
        current=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    values=$(_longpole_values "$before")
    if [[ $values == FILE ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    elif [[ $values == N ]]; then
        return
    elif [[ $values ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_longpole_options "$command")" -- "$current")
    elif [[ $command != doctor ]]; then
        _longpole_inputs "$current"
    fi
}

complete -F _longpole longpole
