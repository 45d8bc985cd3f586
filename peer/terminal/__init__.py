"""The face of the game at a terminal: the board, the prompt, and the seat of a person."""

from peer.terminal.board import render_board
from peer.terminal.keyboard import Keyboard, Lines
from peer.terminal.seat import TerminalSeat
from peer.terminal.watching import WatchingSeat

__all__ = ["Keyboard", "Lines", "TerminalSeat", "WatchingSeat", "render_board"]
