"""What to do, in the words of the distribution and the board at hand.

Separate from the rules, so that a distribution is added in one place. Nothing here is ever run:
Danqing shows commands and changes no file of the system.
"""

from __future__ import annotations

from engine.checks.facts.machine import Platform
from engine.checks.sentences import command, say
from engine.port import Sentence

_APT = ("debian", "ubuntu", "linuxmint", "pop", "raspbian", "kali", "elementary", "zorin", "deepin")
_DNF = ("fedora", "rhel", "centos", "rocky", "almalinux", "ol", "amzn", "openeuler", "anolis")
_ZYPPER = ("opensuse", "opensuse-leap", "opensuse-tumbleweed", "suse", "sles", "sled")
_PACMAN = ("arch", "manjaro", "endeavouros", "cachyos", "garuda")
_IMMUTABLE = ("bazzite", "silverblue", "kinoite", "bluefin", "aurora")


def family(platform: Platform) -> str:
    """`apt`, `dnf`, `zypper`, `pacman`, `nixos`, `ostree`, or "" for any other distribution."""
    names = (platform.distribution or "", *platform.distribution_like)
    groups = {"ostree": _IMMUTABLE, "nixos": ("nixos",), "apt": _APT, "zypper": _ZYPPER,
              "pacman": _PACMAN, "dnf": _DNF}  # fmt: skip
    for name in names:
        for group, members in groups.items():
            if name.lower() in members:
                return group
    return ""


def on_host(platform: Platform, *fix: Sentence) -> tuple[Sentence, ...]:
    """The steps, preceded by where to take them if this is a container."""
    if platform.is_container:
        return (say("Do this on the host, not in the container:"), *fix)
    return fix


def install_firmware(platform: Platform) -> tuple[Sentence, ...]:
    match family(platform):
        case "apt" if platform.distribution in ("debian", "raspbian", "kali"):
            steps = (
                command("sudo apt install firmware-amd-graphics"),
                command("sudo update-initramfs -u -k all"),
            )
        case "apt":
            steps = (
                command("sudo apt install --reinstall linux-firmware"),
                command("sudo update-initramfs -u -k all"),
            )
        case "dnf":
            steps = (
                command("sudo dnf install linux-firmware amd-gpu-firmware"),
                command("sudo dracut --force --regenerate-all"),
            )
        case "zypper":
            steps = (
                command("sudo zypper install kernel-firmware-amdgpu"),
                command("sudo dracut --force"),
            )
        case "pacman":
            steps = (command("sudo pacman -S linux-firmware"), command("sudo mkinitcpio -P"))
        case "nixos":
            steps = (say("Set hardware.enableRedistributableFirmware = true; and rebuild."),)
        case "ostree":
            steps = (command("rpm-ostree upgrade"),)
        case _:
            steps = (
                say("Install or update linux-firmware with your distribution's package manager."),
                say("Rebuild the initramfs."),
            )
    return on_host(platform, *steps, say("Reboot."))


def kernel_parameters(platform: Platform) -> Sentence:
    """How the kernel's command line is changed here."""
    match family(platform):
        case "nixos":
            return say("On NixOS: edit boot.kernelParams, then sudo nixos-rebuild boot.")
        case "ostree":
            return command("rpm-ostree kargs --editor")
        case "dnf":
            return say(
                "sudo grubby --update-kernel=ALL --args=… or --remove-args=… changes the command "
                "line."
            )
        case "apt":
            return say(
                "Edit GRUB_CMDLINE_LINUX_DEFAULT in /etc/default/grub, then sudo update-grub."
            )
        case _:
            return say(
                "Edit GRUB_CMDLINE_LINUX_DEFAULT in /etc/default/grub, then sudo grub2-mkconfig -o "
                "/boot/grub2/grub.cfg (grub-mkconfig and /boot/grub on some); with systemd-boot "
                "edit the options line in /boot/loader/entries."
            )


def newer_kernel(platform: Platform) -> tuple[Sentence, ...]:
    match family(platform):
        case "apt" if platform.distribution == "ubuntu":
            steps = (command("sudo apt install linux-generic-hwe-$(lsb_release -rs)"),)
        case "apt":
            steps = (say("Install the kernel from your distribution's backports."),)
        case "dnf":
            steps = (command("sudo dnf upgrade kernel"),)
        case "pacman":
            steps = (command("sudo pacman -Syu linux"),)
        case "nixos":
            steps = (say("Set boot.kernelPackages = pkgs.linuxPackages_latest; and rebuild."),)
        case _:
            steps = (say("Install a newer kernel with your distribution's package manager."),)
    return on_host(platform, *steps, say("Or install AMD's driver package, amdgpu-dkms."))


def atomics(platform: Platform) -> tuple[Sentence, ...]:
    """For a card that the compute driver leaves out because its slot passes on no atomics."""
    if platform.is_virtual:
        return (say("Attach the card to a pcie-root-port of the virtual machine (q35)."),)
    slot = say("Put the card into a slot of the processor, without a x1 riser.")
    return (*install_firmware(platform), slot)


_BIOS_MENUS: tuple[tuple[tuple[str, ...], Sentence], ...] = (
    (
        ("asrock",),
        say(
            "ASRock: Advanced > PCI Configuration: Above 4G Decoding and Re-Size BAR Support "
            "(Clever Access Memory) on, CSM off."
        ),
    ),
    (
        ("asus",),
        say(
            "ASUS: Advanced > PCI Subsystem Settings: Above 4G Decoding and Re-Size BAR Support "
            "on; Boot > CSM off."
        ),
    ),
    (
        ("micro-star", "msi"),
        say(
            "MSI: Settings > Advanced > PCI Subsystem Settings: Above 4G memory/Crypto Currency "
            "mining and Re-Size BAR Support on; BIOS CSM/UEFI Mode: UEFI."
        ),
    ),
    (
        ("gigabyte",),
        say(
            "Gigabyte: Settings > IO Ports: Above 4G Decoding and Re-Size BAR Support on; Boot > "
            "CSM Support off."
        ),
    ),
    (
        ("supermicro",),
        say(
            "Supermicro: Advanced > PCIe/PCI/PnP Configuration: Above 4G Decoding on, MMIO High "
            "Size raised."
        ),
    ),
    (
        ("dell", "hewlett", "hp", "lenovo"),
        say(
            "Dell, HP and Lenovo: Integrated Devices or System Options: Memory Mapped I/O above "
            "4GB on, MMIO High Base and Size raised; Resizable BAR on where there is one."
        ),
    ),
)


def bios_menu(platform: Platform) -> Sentence:
    """Where Above 4G Decoding and Resizable BAR are in this board's firmware."""
    vendor = (platform.board_vendor or "").lower()
    for names, menu in _BIOS_MENUS:
        if any(name in vendor for name in names):
            return menu
    return say(
        "In the BIOS switch Above 4G Decoding and Resizable BAR (Smart Access Memory) on, and CSM "
        "off."
    )


def iommu_menu(platform: Platform) -> Sentence:
    vendor = (platform.board_vendor or "").lower()
    if "gigabyte" in vendor:
        return say("Gigabyte: Settings > Miscellaneous (or AMD CBS > NBIO): IOMMU: Enabled.")
    if "asus" in vendor:
        return say("ASUS: Advanced > AMD CBS > IOMMU: Enabled (Intel: VT-d).")
    return say("In the BIOS set IOMMU (AMD CBS > NBIO; on Intel boards VT-d) to Enabled.")
